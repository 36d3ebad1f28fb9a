/**
 * How many entries of a queue go into the next request. A receiver that refuses a request does so because of one entry: with half as
 * many at each refusal that entry is soon alone, and only it is lost. Pure.
 */
export const limitAfterRefusal = (sent: number): number => Math.max(1, Math.floor(sent / 2))

/** Twice as many, so that the others do not wait. Pure. */
export const limitAfterSuccess = (limit: number, most: number): number => Math.min(most, limit * 2)
