import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RegionId } from '@vedette/shared'
import { Value } from 'typebox/value'
import { parseTargetPolicy, startProberThread } from '../../monitoring/checks/index.ts'
import { startProbe, urlFault } from '../../monitoring/probes/index.ts'
import { requireOption, type Service, UsageError } from './command.ts'
import { readSettings } from './database.ts'

export const probe: Service = {
  name: 'probe',
  summary: 'run the checks of one region for a remote backend; needs no database',
  options: {
    region: { type: 'string', value: 'ID', help: 'the region of the token' },
    url: { type: 'string', value: 'URL', help: 'URL of the backend: https, or http on this host' },
    'token-file': { type: 'string', value: 'FILE', help: 'file with the token that "vedette region add" printed' },
  },
  start: async (context, _signal, call) => {
    const settings = readSettings(context)
    const region = requireOption(call, 'region')
    const url = requireOption(call, 'url')
    const tokenFile = requireOption(call, 'token-file')
    const fault = urlFault(url)
    if (fault !== undefined) throw new UsageError(`--url ${fault}`)
    if (!Value.Check(RegionId, region)) throw new UsageError('--region must be the id of a region')
    const readToken = () => readFileSync(tokenFile, 'utf8').trim()
    if (!/^vdt_prb_\w+$/.test(readable(tokenFile, readToken)))
      throw new UsageError(`--token-file: ${tokenFile} does not contain a region token (vdt_prb_…)`)
    const { clock, announce } = context
    const log = context.createLog(settings.logLevel)
    const { allowPrivateTargets: given, icmpFd, icmp6Fd } = settings
    const policy = given === undefined ? [] : parseTargetPolicy(given)
    const prober = startProberThread({ allowPrivateTargets: policy, icmpFd, icmp6Fd })
    const folder = join(settings.dataDir, 'probe', region)
    const { controlTargets } = settings
    return startProbe({ region, url, tokenFile, readToken, folder, controlTargets, prober, clock, log, announce })
  },
}

function readable(file: string, read: () => string): string {
  try {
    return read()
  } catch (error) {
    throw new UsageError(`--token-file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
