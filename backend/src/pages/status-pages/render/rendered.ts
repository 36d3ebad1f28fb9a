export interface Rendered {
  /** The media type. */
  type: string
  body: string
  /** In place of the text. */
  bytes?: Buffer
}
