/** Longer texts are not read. */
export const MAX_TYPED_LENGTH = 20_000
