import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Plan, Step, Warning } from './plan.ts'

/** Before and after of each step. */
export interface Content {
  steps: readonly Step[]
  /** Of a proposal. */
  moved: Plan['moved']
  warnings: readonly Warning[]
}

/** Of before and after of each step, which have the secrets of resources. */
export const changeSetEncrypter = encryptedValues('change set', [
  { table: 'change_set', key: ['organization', 'id'], column: 'content_encrypted' },
])

/** Much of it is the same twice: once compressed, a step takes some 100 bytes. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 6 } }
/** The largest set in its longest form. */
const MAX_BYTES = 128 * 1024 * 1024

export const encryptContent = (encrypter: Encrypter, id: string, content: Content): Buffer =>
  encrypter.encrypt(zstdCompressSync(JSON.stringify(content), LEVEL), id)

/** Undefined where no configured secret decrypts it. */
export function readContent(encrypter: Encrypter, id: string, encrypted: Buffer): Content | undefined {
  const plain = encrypter.decrypt(encrypted, id)
  return plain && (JSON.parse(zstdDecompressSync(plain, { maxOutputLength: MAX_BYTES }).toString()) as Content)
}

/** Throws unavailable where no configured secret decrypts it. */
export function decryptContent(encrypter: Encrypter, id: string, encrypted: Buffer): Content {
  const content = readContent(encrypter, id, encrypted)
  if (!content) throw new ApiError('unavailable', 'What the change set changed cannot be decrypted any more.')
  return content
}
