import { findTool } from '../../../../../../../../scripts/test-tools.ts'
import { makeServerFolder, type Server, startServer } from '../../../test/servers.ts'

/** Its only port. */
const PORT = 123

/**
 * The time server of Debian, on the loopback address alone. It has no source of time, sets no clock, and answers of its own after some
 * seconds, as of stratum 5. Needs root.
 */
export async function startNtpd(): Promise<Server> {
  const settings = `
    disable ntp
    interface ignore all
    interface listen 127.0.0.1
    restrict 127.0.0.1
    tos orphan 5 orphanwait 1
  `
  const folder = makeServerFolder({ 'ntp.conf': settings.replaceAll(/^ +/gm, '') })
  const command = [findTool('ntpd') ?? 'ntpd', '-n', '-c', `${folder}/ntp.conf`]
  return startServer(command, { folder, port: PORT, isDatagrams: true, ready: 'Listen normally on' })
}
