import type { App } from './app.ts'

/** Lets the routes of this scope take forms as browsers send them; of a name that comes twice the last value counts. */
export function takeForms(app: App, bodyLimit: number): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit },
    (_request: unknown, body: string, done: (error: null, fields: Record<string, string>) => void) =>
      done(null, Object.fromEntries(new URLSearchParams(body))),
  )
}
