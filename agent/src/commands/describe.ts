import type { OptionDescription, ProgramDescription, Shell } from '@vedette/shared/command-line'
import { ConfigError } from '../config/config.ts'
import { AGENT_VERSION } from '../version.ts'
import { COMMANDS, EXIT_CODES, GLOBAL_OPTIONS, type OptionName, OPTIONS, REST, SHELLS } from './help.ts'

const toOption = (name: OptionName): OptionDescription => ({ name, ...OPTIONS[name] })

/** The agent as completion and man page describe it. */
const describeAgent = (): ProgramDescription => ({
  name: 'vedette-agent',
  version: AGENT_VERSION,
  summary: 'sends metrics of this host to a Vedette backend',
  commands: Object.entries(COMMANDS)
    .filter(([name]) => name !== 'help')
    .map(([name, { summary, parameters = [], options }]) => ({ name, summary, parameters, options: options.map(toOption) })),
  options: GLOBAL_OPTIONS.map(toOption),
  exitCodes: EXIT_CODES,
  sections: [
    { title: 'CONFIGURATION', paragraphs: REST.trim().split('\n') },
    {
      title: 'FILES',
      paragraphs: ['/etc/vedette/agent.yaml: the config.', '/var/lib/vedette: identity, status and unsent samples.'],
    },
  ],
})

/** Loaded on demand: a running agent needs neither. */
const loadTexts = () => import('@vedette/shared/command-line')

/** Throws a ConfigError for another shell. */
export async function completion(wanted: string | undefined): Promise<string> {
  const shell = SHELLS.find((name: Shell) => name === wanted)
  if (!shell) throw new ConfigError([`completion needs a shell: ${SHELLS.join(', ')}`])
  return (await loadTexts()).completionFor(shell, describeAgent())
}

export const man = async (): Promise<string> => (await loadTexts()).manPage(describeAgent())
