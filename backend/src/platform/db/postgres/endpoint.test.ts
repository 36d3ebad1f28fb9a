import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applicationUrl, chooseEndpoint, listenSwitches } from './endpoint.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vdt-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a folder with a short path gets a socket, and the probe leaves nothing there', async () => {
  expect(await chooseEndpoint(folder)).toEqual({ host: folder, port: 5432 })
  expect(await readdir(folder)).toEqual([])
})

test('a path too long for a socket, and a folder that takes none, get a loopback port', async () => {
  const long = join(folder, 'x'.repeat(100))
  await mkdir(long)
  for (const sockets of [long, join(folder, 'missing')]) {
    const endpoint = await chooseEndpoint(sockets)
    expect(endpoint.host).toBe('127.0.0.1')
    expect(endpoint.port).toBeGreaterThan(1023)
  }
})

test.each([
  { host: '/var/lib/a b%,c/run', port: 5432 },
  { host: '127.0.0.1', port: 40_001 },
])('the driver reads $host from the URL as it was meant', (endpoint) => {
  const client = new Client({ connectionString: applicationUrl(endpoint, { superuser: 's', application: 'p@ss/w%rd' }) })
  expect(client).toMatchObject({ ...endpoint, user: 'vedette', database: 'vedette', password: 'p@ss/w%rd' })
})

test('a socket closes TCP, loopback closes the sockets', () => {
  expect(listenSwitches({ host: '/run/a,"b', port: 5432 })).toContain('unix_socket_directories="/run/a,""b"')
  expect(listenSwitches({ host: '/run/a', port: 5432 })).toContain('listen_addresses=')
  expect(listenSwitches({ host: '127.0.0.1', port: 4000 })).toContain('unix_socket_directories=')
})
