/** A message to one person, with the same content as text and HTML. */
export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** Turns such mails off with one POST (RFC 8058). */
  unsubscribeUrl?: string
}

/** Sends mail. Without a mail server `isSetUp` is false and nothing is sent; the API then returns the links. */
export interface Mailer {
  readonly isSetUp: boolean
  /** Resolves when the mail server has accepted the mail; throws where it does not. */
  send(mail: Mail): Promise<void>
}
