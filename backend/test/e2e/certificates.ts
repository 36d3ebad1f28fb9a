import { execFileSync } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Authority {
  /** What clients trust. */
  caFile: string
  certFile: string
  keyFile: string
  /** Replaces certificate and key by fresh ones for the same name, as a renewal does: each file whole in one step. */
  renew(): void
}

/** A certificate authority in a folder, by openssl, with one certificate for these names. */
export function makeAuthority(folder: string, names = 'DNS:localhost, IP:127.0.0.1'): Authority {
  const at = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const caName = ['-subj', '/CN=Test authority', '-keyout', at('ca.key'), '-out', at('ca.pem'), '-days', '2']
  openssl('req', '-x509', ...newKey, ...caName)
  writeFileSync(at('names.cnf'), `subjectAltName = ${names}\nextendedKeyUsage = serverAuth\n`)
  const renew = () => {
    openssl('req', '-new', ...newKey, '-subj', '/CN=localhost', '-keyout', at('next.key'), '-out', at('request.pem'))
    const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '1', '-extfile', at('names.cnf')]
    openssl('x509', '-req', '-in', at('request.pem'), '-out', at('next.pem'), ...signed)
    renameSync(at('next.key'), at('server.key'))
    renameSync(at('next.pem'), at('server.pem'))
  }
  renew()
  return { caFile: at('ca.pem'), certFile: at('server.pem'), keyFile: at('server.key'), renew }
}
