import { findTool, freePort } from '../../../../../../../../scripts/test-tools.ts'
import { idsOf, makeServerFolder, type Server, startServer } from '../../../test/servers.ts'

export const SECRET = 'shared secret of radius'
export const USERNAME = 'monitor'
/** Longer than one block. */
export const PASSWORD = 'pässword of radius, which is long'

export interface Freeradius extends Server {
  port: number
}

/** The server of Debian with one user; it takes nothing without a Message-Authenticator. */
export async function startFreeradius(): Promise<Freeradius> {
  const port = await freePort()
  const ids = idsOf('freerad')
  const users = `${USERNAME} Cleartext-Password := "${PASSWORD}"\n    Reply-Message := "Hello, \\"%{User-Name}\\""\n`
  const folder = makeServerFolder({ users, dictionary: '' }, ids)
  const settings = `
    name = radiusd
    prefix = /usr
    libdir = /usr/lib/freeradius
    raddbdir = ${folder}
    run_dir = ${folder}
    db_dir = ${folder}
    logdir = ${folder}
    log {
      destination = stdout
    }
    security {
      reject_delay = 0
      status_server = yes
    }
    client loopback {
      ipaddr = 127.0.0.1
      secret = "${SECRET}"
      require_message_authenticator = yes
    }
    modules {
      files {
        usersfile = ${folder}/users
      }
      pap {
      }
    }
    server default {
      listen {
        type = auth
        ipaddr = 127.0.0.1
        port = ${port}
      }
      authorize {
        files
        pap
      }
      authenticate {
        Auth-Type PAP {
          pap
        }
      }
    }
  `
  const raddb = makeServerFolder({ 'radiusd.conf': settings, dictionary: '' }, ids, folder)
  const command = [findTool('freeradius') ?? 'freeradius', '-f', '-l', 'stdout', '-n', 'radiusd', '-d', raddb]
  const server = await startServer(command, { folder, port, ids, isDatagrams: true, ready: 'Ready to process requests' })
  return { ...server, port }
}
