import type { InstallationSecrets } from '../../../platform/crypto/installation-secrets.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Log } from '../../../platform/logging/log.ts'
import { type AgentArchives, createArchives } from './archives.ts'
import { readAgentBundle, readAgentDescription } from './contents.ts'
import { platformOf } from './node-packages.ts'
import { createNodeSource } from './node-source.ts'
import { createSigningKey, type SigningKey } from './signing-key.ts'

export { agentNotBuilt, agentRoutes } from './routes.ts'

export interface AgentOptions {
  /** Below the data folder: where archives are stored. */
  folder: string
  /** Of npm, which fetches Node for other platforms. */
  environment: NodeJS.ProcessEnv
}

/** What the installation hands out without a release. */
export interface OwnAgents {
  archives: AgentArchives
  signingKey: SigningKey
  /** Undefined where the agent is not built. */
  version(): string | undefined
}

export function createAgents(
  { folder, environment }: AgentOptions,
  { secrets, clock, log }: { secrets: InstallationSecrets; clock: Pick<Clock, 'now'>; log: Log },
): OwnAgents {
  const own = platformOf(process.platform, process.arch)
  return {
    archives: createArchives({
      folder,
      bundle: readAgentBundle,
      source: createNodeSource({ environment, own }),
      own,
      clock,
      log,
    }),
    signingKey: createSigningKey(secrets),
    version: () => readAgentDescription()?.version,
  }
}
