import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync } from 'node:fs'
import { findTool, freePort } from '../../../../../../scripts/test-tools.ts'
import type { TestCertificate } from './certificates.ts'
import { idsOf, makeServerFolder, type Server, startServer } from './servers.ts'

export const USERNAME = 'monitor@example.test'
export const PASSWORD = 'pässword "of" the \\mailbox'

export interface Dovecot extends Server {
  imap: number
  imaps: number
  /** Takes logins for Postfix. */
  auth: number
}

/** Dovecot with one mailbox. Needs root. */
export async function startDovecot({ cert, key }: TestCertificate): Promise<Dovecot> {
  const [imap, imaps, auth] = [await freePort(), await freePort(), await freePort()]
  const users = `${USERNAME}:{PLAIN}${PASSWORD}:::::\n`
  const folder = makeServerFolder({ 'server.crt': cert, 'server.key': key, users })
  const ids = idsOf('dovecot')
  const files = makeServerFolder({ users }, ids, folder)
  const configuration = `
    base_dir = ${folder}/run
    state_dir = ${folder}/run
    log_path = /dev/stderr
    auth_verbose = yes
    protocols = imap
    listen = 127.0.0.1
    mail_location = maildir:${folder}/mail/%u
    mail_uid = nobody
    mail_gid = nogroup
    first_valid_uid = 1
    ssl = yes
    ssl_cert = <${folder}/server.crt
    ssl_key = <${folder}/server.key
    disable_plaintext_auth = yes
    auth_mechanisms = plain login
    passdb {
      driver = passwd-file
      args = scheme=PLAIN username_format=%u ${files}/users
    }
    userdb {
      driver = static
      args = uid=nobody gid=nogroup home=${folder}/mail/%u
    }
    service imap-login {
      inet_listener imap {
        port = ${imap}
      }
      inet_listener imaps {
        port = ${imaps}
        ssl = yes
      }
    }
    service auth {
      inet_listener {
        port = ${auth}
      }
    }
    login_greeting = Mailboxes are here.
  `
  mkdirSync(`${folder}/mail`, { mode: 0o777 })
  const own = makeServerFolder({ 'dovecot.conf': configuration }, undefined, folder)
  const server = await startServer(['dovecot', '-F', '-c', `${own}/dovecot.conf`], { folder, port: imap })
  return { ...server, imap, imaps, auth }
}

export interface Postfix extends Server {
  /** Plain and STARTTLS. */
  smtp: number
  /** TLS from the first byte. */
  smtps: number
}

/** Postfix that takes no mail, with logins of Dovecot. Needs root. */
export async function startPostfix({ cert, key }: TestCertificate, auth: number): Promise<Postfix> {
  const [smtp, smtps] = [await freePort(), await freePort()]
  const folder = makeServerFolder({ 'server.crt': cert, 'server.key': key })
  const queue = `${folder}/queue`
  const settings = {
    compatibility_level: '3.6',
    queue_directory: queue,
    data_directory: `${folder}/data`,
    maillog_file: `${folder}/log`,
    maillog_file_prefixes: folder,
    myhostname: 'mail.example.test',
    inet_interfaces: '127.0.0.1',
    mynetworks: '127.0.0.0/8',
    alias_maps: '',
    local_recipient_maps: '',
    smtpd_banner: '$myhostname ESMTP of the test',
    smtpd_tls_security_level: 'may',
    smtpd_tls_auth_only: 'yes',
    smtpd_tls_cert_file: `${folder}/server.crt`,
    smtpd_tls_key_file: `${folder}/server.key`,
    smtpd_sasl_auth_enable: 'yes',
    smtpd_sasl_type: 'dovecot',
    smtpd_sasl_path: `inet:127.0.0.1:${auth}`,
    smtpd_sasl_security_options: 'noanonymous',
  }
  const services = `
127.0.0.1:${smtp} inet n - n - - smtpd
127.0.0.1:${smtps} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
postlog unix-dgram n - n - 1 postlogd
anvil unix - - n - 1 anvil
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
cleanup unix n - n - 0 cleanup
`
  const main = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  const own = makeServerFolder({ 'main.cf': main.join(''), 'master.cf': services }, undefined, folder)
  for (const name of ['queue', 'data']) mkdirSync(`${folder}/${name}`)
  const ids = idsOf('postfix')
  if (ids) chownSync(`${folder}/data`, ids.uid, ids.gid)
  execFileSync(findTool('postfix') ?? '', ['-c', own, 'check'])
  const programs = execFileSync(findTool('postconf') ?? '', ['-c', own, '-h', 'daemon_directory'], { encoding: 'utf8' }).trim()
  const server = await startServer([`${programs}/master`, '-c', own, '-d'], { folder, port: smtp, isGroup: true })
  return { ...server, output: () => readFileSync(`${folder}/log`, 'utf8'), smtp, smtps }
}
