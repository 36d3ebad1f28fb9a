export { BlockError, type SampleColumns, valueAt } from './columns.ts'
export { decodeBlock, decodeInstants } from './decode.ts'
export { encodeBlock } from './encode.ts'
export { fromScaled, KNOWN_FIELD_IDS, scaleOf, toScaled } from './scale.ts'
