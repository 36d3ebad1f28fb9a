import { decryptRequest, encryptRequest } from '../checks/index.ts'
import type { InstallationSecrets } from '../platform/crypto/installation-secrets.ts'
import { createEncrypter, type Encrypter } from '../platform/crypto/encrypter.ts'
import type { MonitorDeps } from './deps.ts'
import { listEncryptedRequests, replaceEncryptedRequests } from './store.ts'

const AT_ONCE = 500

export const monitorEncrypter = (secrets: InstallationSecrets): Encrypter => createEncrypter(secrets.derive('monitor request'))

/**
 * Re-encrypts with the newest secret, so that older secrets can be removed. A concurrent change encrypts its own value; several
 * instances may run it at once.
 */
export async function reencryptRequests(
  { db, encrypter }: Pick<MonitorDeps, 'db' | 'encrypter'>,
  atOnce = AT_ONCE,
): Promise<void> {
  for (let rows = await listEncryptedRequests(db, undefined, atOnce); rows.length > 0; ) {
    const old = rows.filter(({ id, request_encrypted: encrypted }) => !encrypter.usesCurrentKey(encrypted, id))
    const reencrypted = old.map((row) => ({
      ...row,
      reencrypted: encryptRequest(encrypter, row.id, decryptRequest(encrypter, row.id, row.request_encrypted)),
    }))
    if (reencrypted.length > 0) await replaceEncryptedRequests(db, reencrypted)
    rows = await listEncryptedRequests(db, rows.at(-1), atOnce)
  }
}
