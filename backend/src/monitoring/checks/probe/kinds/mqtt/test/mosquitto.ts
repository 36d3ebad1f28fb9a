import { freePort } from '../../../../../../../../scripts/test-tools.ts'
import type { TestCertificate } from '../../../test/certificates.ts'
import { idsOf, makeServerFolder, type Server, startServer } from '../../../test/servers.ts'

export const USERNAME = 'monitor'
export const PASSWORD = 'pässword-of-mqtt'
/** Of the password, by `mosquitto_passwd`: PBKDF2 with SHA-512. */
const HASHED = '$7$101$3SEs1g4W4Ebgd5BG$tO6ENfwdEh/TTs3eXBxt+Koi1oG8GTeZm2q3ORTplvOf9BOmz5dxd2MoqLYhFWLO/61uxVxs2yBYVg3ZP5CQDQ=='

export interface Mosquitto extends Server {
  /** Open to everybody. */
  open: number
  /** Open to the user alone, who may not read `secret/#`. */
  closed: number
  tls: number
}

/** The broker of Debian. */
export async function startMosquitto({ cert, key }: TestCertificate): Promise<Mosquitto> {
  const [open, closed, tls] = [await freePort(), await freePort(), await freePort()]
  const settings = `
    per_listener_settings true
    persistence false
    log_dest stderr
    listener ${open} 127.0.0.1
    allow_anonymous true
    listener ${closed} 127.0.0.1
    allow_anonymous false
    password_file users
    acl_file rights
    listener ${tls} 127.0.0.1
    allow_anonymous true
    certfile server.crt
    keyfile server.key
  `
  const rights = `user ${USERNAME}\ntopic readwrite plant/#\n`
  const files = {
    'broker.conf': settings.replaceAll(/^ +/gm, ''),
    'server.crt': cert,
    'server.key': key,
    users: `${USERNAME}:${HASHED}\n`,
    rights,
  }
  // As root it would become this user by itself, and could not read its files.
  const ids = idsOf('mosquitto')
  const folder = makeServerFolder(files, ids)
  const server = await startServer(['mosquitto', '-c', 'broker.conf'], { folder, port: open, ids })
  return { ...server, open, closed, tls }
}
