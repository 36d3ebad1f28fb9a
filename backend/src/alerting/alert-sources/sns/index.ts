export { MAX_CERTIFICATE_BYTES } from './certificate.ts'
export { createSnsReader } from './reader.ts'
