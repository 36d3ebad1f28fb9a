import { expect, it } from 'vitest'
import { startHeartbeatScene } from '../../../../test/heartbeat-scene.ts'

it('a ping key makes as many monitors a minute as an API key, from wherever its pings come', async () => {
  const scene = await startHeartbeatScene({ environment: { VEDETTE_RATE_LIMITS: 'ping=1000,write=5' } })
  try {
    const { body } = await scene.api('PUT', '/ping-key', {})
    const make = async (index: number) => {
      const path = `${scene.pathOf(body.ping_url)}/job-${index}?create=1`
      return (await scene.backend.call('GET', path, { ip: `192.0.2.${index}` })).status
    }
    const statuses: number[] = []
    for (let index = 1; index <= 7; index += 1) statuses.push(await make(index))
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429, 429])
    // Those that are there are pinged as before.
    expect(await make(1)).toBe(200)
    scene.backend.clock.advance(60_000)
    expect(await make(8)).toBe(201)
  } finally {
    await scene.backend.close()
  }
})
