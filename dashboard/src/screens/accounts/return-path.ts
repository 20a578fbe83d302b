/** Only addresses of this dashboard: a link must not lead elsewhere after the login. */
export function readNext(next: string | undefined): string {
  return next && /^\/(?![/\\])/.test(next) ? next : "/";
}
