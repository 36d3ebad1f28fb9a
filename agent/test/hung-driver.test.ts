import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { AgentHarness } from './harness.ts'
import { buildNvml } from './nvml.ts'
import { tree } from './tree.ts'

const NOTE = 'NVIDIA cards: no answer within 5 s'

/** The worker that asks the driver is within a call that never returns. */
describe.skipIf(process.platform !== 'linux' || isMissing('gcc'))('a driver that never returns', () => {
  const harness = new AgentHarness()
  const environment = { LD_LIBRARY_PATH: dirname(buildNvml({ HANGS: 1 })) }
  const hostRoot = tree({ 'proc/stat': 'cpu 1 1 1 1\n', 'proc/driver/nvidia/version': 'NVRM version\n' })
  const configure = () =>
    harness.home.writeConfig(
      `url: ${harness.url}\ntoken: t\nhost_root: ${hostRoot}\nsample_interval_seconds: 1\npush_interval_seconds: 5\n`,
    )

  test('keeps the agent neither from sending nor from its end', async () => {
    configure()
    const agent = harness.start(['run'], environment)
    await expect.poll(() => agent.output, { timeout: 30_000 }).toContain('cannot read NVIDIA cards')
    await harness.pushes(2)
    expect(await agent.terminate()).toBeLessThan(3_000)
  })

  test('is a note of check, which ends with its own exit code', async () => {
    configure()
    const agent = harness.start(['check'], environment)
    const code = await agent.ended
    expect(agent.output).toContain(`note  ${NOTE}`)
    expect(code).toBe(agent.output.includes('FAULT') ? 1 : 0)
  })
})
