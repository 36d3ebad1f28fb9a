export interface Rendered {
  /** The media type. */
  type: string
  body: string
}
