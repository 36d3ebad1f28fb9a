/** A message to one person, with the same words as text and as HTML. */
export interface Mail {
  to: string
  subject: string
  text: string
  html: string
}

/** Sends mail. `isSetUp` is false where no server was named: then nothing is sent, and links are given in answers instead. */
export interface Mailer {
  readonly isSetUp: boolean
  /** Resolves when the mail server has taken it. Throws when it does not. */
  send(mail: Mail): Promise<void>
}
