/** Where to go after the login. Only addresses of this dashboard: a link must not lead elsewhere. */
export function readReturnPath(next: string | undefined): string {
  return next && /^\/(?![/\\])/.test(next) ? next : "/";
}
