import type { X509Certificate } from 'node:crypto'
import type { ChainCertificate } from '@vedette/shared'
import { MAX_CHAIN_CERTIFICATES } from '@vedette/shared/checks/limits'
import { toChainCertificate } from '@vedette/shared/checks/x509'

/** The certificates that a target sent, in its order, at most ten. It ends at one that cannot be read. */
export function readChain(leaf: X509Certificate): ChainCertificate[] {
  const chain: ChainCertificate[] = []
  for (
    let next: X509Certificate | undefined = leaf;
    next && chain.length < MAX_CHAIN_CERTIFICATES;
    next = next.issuerCertificate
  ) {
    const read = toChainCertificate(next)
    if (!read) break
    chain.push(read)
  }
  return chain
}
