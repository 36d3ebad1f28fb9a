import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SelfSigned {
  key: string
  cert: string
  certFile: string
  /** SHA-256, as browsers show it. */
  fingerprint: string
}

/** A certificate for this name or address, good for a day and signed by itself. */
export function selfSigned(subject: string): SelfSigned {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-tls-'))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-x509', '-days', '1']
  const name = ['-subj', '/CN=vedette test', '-addext', `subjectAltName=${subject}`]
  execFileSync('openssl', ['req', ...kind, ...name, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' })
  const cert = readFileSync(certFile, 'utf8')
  return { key: readFileSync(keyFile, 'utf8'), cert, certFile, fingerprint: new X509Certificate(cert).fingerprint256 }
}
