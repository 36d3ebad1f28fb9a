export { INSTANTS } from './format.ts'
export { pack, type Packed, type Part } from './encode.ts'
export { type PackedHead, readHead, readPart, type UnpackedPart } from './decode.ts'
