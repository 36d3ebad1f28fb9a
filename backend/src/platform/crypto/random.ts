import { randomInt } from 'node:crypto'

export { randomBytes } from 'node:crypto'

const STEPS = 2 ** 32

/** Any number in [0, 1). */
export const randomFraction = (): number => randomInt(STEPS) / STEPS
