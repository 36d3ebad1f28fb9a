import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadOrCreateSecret } from './installation-secrets.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vdt-secrets-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the secret is made once, for its owner only, and is the same at every start [SECRET-02]', () => {
  const { secret } = loadOrCreateSecret(folder)
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600)
  expect(loadOrCreateSecret(folder)).toEqual({ secret, isNew: false })
})

test('two instances that start at once on one data folder get one secret', async () => {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const code = `
    const { workerData: { module, folder, gate }, parentPort } = require('node:worker_threads')
    import(module).then(({ loadOrCreateSecret }) => {
      parentPort.postMessage('there')
      Atomics.wait(gate, 0, 0)
      parentPort.postMessage(Array.from({ length: 200 }, (_, round) => {
        require('node:fs').mkdirSync(folder + '/' + round, { recursive: true })
        return loadOrCreateSecret(folder + '/' + round).secret
      }))
    })`
  const module = new URL('./installation-secrets.ts', import.meta.url).href
  const workers = Array.from({ length: 2 }, () => new Worker(code, { eval: true, workerData: { module, folder, gate } }))
  const said = workers.map((worker) => ({
    there: once(worker),
    secrets: new Promise<string[]>((resolve, reject) => {
      worker.on('message', (message) => Array.isArray(message) && resolve(message as string[]))
      worker.once('error', reject)
    }),
  }))
  await Promise.all(said.map(({ there }) => there))
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
  const [one, other] = await Promise.all(said.map(({ secrets }) => secrets))
  expect(one).toEqual(other)
  expect(new Set(one).size).toBe(200)
  expect(readFileSync(join(folder, '0/secret.key'), 'utf8').trim()).toBe(one?.[0])
})

const once = (worker: Worker) => new Promise((resolve) => void worker.once('message', resolve))
