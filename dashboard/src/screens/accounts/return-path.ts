/** Only addresses of this dashboard: a link must not lead elsewhere after the login. */
export function readReturnPath(next: string | undefined): string {
  return next && /^\/(?![/\\])/.test(next) ? next : "/";
}
