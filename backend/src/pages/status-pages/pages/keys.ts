import { createHmac } from 'node:crypto'
import type { InstallationSecrets } from '../../../platform/crypto/installation-secrets.ts'

/** Values that follow from the secret of the installation, so that no table holds them. The first of a list is shown, all are valid. */
export interface PageKeys {
  /** Part of the address of a page with the visibility `link`. */
  ofLink(pageId: string, version: number): string[]
  /** The value of the TXT record that proves a domain. */
  ofDomain(pageId: string, domain: string): string[]
  /** The cookie of visitors who knew the password. It ends with the password. */
  ofVisitor(pageId: string, passwordHash: string): string[]
}

export function createPageKeys(secrets: InstallationSecrets): PageKeys {
  const digests = (purpose: string, text: string) =>
    secrets.derive(`status page ${purpose}`).map((key) => createHmac('sha256', key).update(text).digest('base64url').slice(0, 32))
  return {
    ofLink: (pageId, version) => digests('link', `${pageId} ${version}`),
    ofDomain: (pageId, domain) => digests('domain', `${pageId} ${domain}`).map((value) => `vedette-page=${value}`),
    ofVisitor: (pageId, passwordHash) => digests('visitor', `${pageId} ${passwordHash}`),
  }
}
