import { mkdirSync, writeFileSync } from 'node:fs'
import { findTool, freePort } from '../../../../../../../../scripts/test-tools.ts'
import type { TestCertificate } from '../../../test/certificates.ts'
import { makeServerFolder, type Server, startServer } from '../../../test/servers.ts'

export const USERNAME = 'anonymous'
export const PASSWORD = 'pass word-of-ftp'

export interface Vsftpd extends Server {
  port: number
}

/**
 * The server of Debian with the folders `pub`, which has two files, and `empty`. Its one user is `anonymous`, whose password it compares
 * with a list. Needs root.
 */
export async function startVsftpd({ cert, key }: TestCertificate, more: Readonly<Record<string, string>> = {}): Promise<Vsftpd> {
  const port = await freePort()
  const folder = makeServerFolder({ 'server.crt': cert, 'server.key': key, passwords: `${PASSWORD}\n` })
  for (const name of ['chroot', 'files', 'files/pub', 'files/empty']) mkdirSync(`${folder}/${name}`, { mode: 0o755 })
  for (const name of ['one.txt', 'two.txt']) writeFileSync(`${folder}/files/pub/${name}`, name)
  const settings = {
    listen: 'YES',
    listen_address: '127.0.0.1',
    listen_port: String(port),
    background: 'NO',
    seccomp_sandbox: 'NO',
    isolate: 'NO',
    isolate_network: 'NO',
    ftpd_banner: 'Files are here.',
    anonymous_enable: 'YES',
    anon_root: `${folder}/files`,
    secure_chroot_dir: `${folder}/chroot`,
    secure_email_list_enable: 'YES',
    email_password_file: `${folder}/passwords`,
    delay_failed_login: '0',
    ssl_enable: 'YES',
    allow_anon_ssl: 'YES',
    rsa_cert_file: `${folder}/server.crt`,
    rsa_private_key_file: `${folder}/server.key`,
    ...more,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  const file = `${makeServerFolder({ 'vsftpd.conf': `${lines.join('\n')}\n` }, undefined, folder)}/vsftpd.conf`
  const server = await startServer([findTool('vsftpd') ?? 'vsftpd', file], { folder, port })
  return { ...server, port }
}
