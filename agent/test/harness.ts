import { afterEach, beforeEach } from 'vitest'
import { AgentHome, type AgentProcess } from './agent-process.ts'
import { batchesOf, type ReceivedRequest, StubBackend } from './stub-backend.ts'

/** A fresh stub backend and a fresh home for each test of the file; what a test started is ended after it. */
export class AgentHarness {
  backend = new StubBackend()
  home = new AgentHome()
  url = ''
  readonly #started: AgentProcess[] = []

  constructor() {
    beforeEach(async () => {
      this.backend = new StubBackend()
      this.url = await this.backend.listen()
      this.home = new AgentHome()
    })
    afterEach(async () => {
      for (const agent of this.#started.splice(0)) {
        agent.child.kill('SIGKILL')
        await agent.ended
      }
      await this.backend.close()
    })
  }

  start(args: string[], environment: Record<string, string> = {}, stdio: 'pipe' | 'ipc' = 'pipe'): AgentProcess {
    const agent = this.home.start(args, environment, stdio)
    this.#started.push(agent)
    return agent
  }

  /** Waits until that many pushes have come. */
  pushes(count: number): Promise<ReceivedRequest[]> {
    return this.backend.received(count, isPush)
  }
}

export function isPush(request: ReceivedRequest): boolean {
  return request.path === '/v1/agent/metrics'
}

export function instantsOf(requests: ReceivedRequest[]): number[] {
  return requests
    .filter(isPush)
    .flatMap(batchesOf)
    .flatMap((batch) => batch.columns.at_ms)
}
