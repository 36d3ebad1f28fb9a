import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { alerting } from '../../../../test/alerting.ts'
import { startTestBackend, TEST_SECRET, type TestBackend } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { createOutbox, mailSealer } from '../../../mail/index.ts'
import { silentLog } from '../../../platform/log.ts'
import { createSecrets } from '../../../platform/secrets.ts'
import { channelSealer } from '../../channels/reseal.ts'
import { CHANNEL_KINDS } from '../kinds/index.ts'
import { createRequester } from '../request.ts'
import { createSender } from '../sender.ts'
import { pigeon } from './pigeon.ts'

let backend: TestBackend
let receiver: Receiver
beforeAll(async () => {
  backend = await startTestBackend()
  receiver = await startReceiver()
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})

it('a further type of channel costs one file and one line: storing, leases, repeats and order are there already', async () => {
  const { pool, clock } = backend
  const organization = await backend.organization()
  const alerts = await alerting(backend, organization, await backend.apiKey(organization, 'admin'))
  await alerts.channel('webhook', { url: receiver.url })
  await pool.db.updateTable('channel').set({ type: 'pigeon' }).execute()
  const secrets = createSecrets([TEST_SECRET])
  const ending = new AbortController().signal
  const sender = createSender({
    db: pool.db,
    clock,
    log: silentLog,
    sealer: channelSealer(secrets),
    kinds: { ...CHANNEL_KINDS, pigeon },
    send: createRequester(
      ({ port }) =>
        new Promise((resolve) => {
          const socket = connect(port, '127.0.0.1', () => resolve(socket))
        }),
      ending,
    ),
    outbox: createOutbox(mailSealer(secrets), false),
    sendsMail: false,
    publicUrl: undefined,
    ending,
  })
  const tell = async () => {
    await sender.wake()
    await sender.idle()
  }
  receiver.answer((response) => void response.writeHead(500).end())
  const id = await alerts.open()
  await alerts.resolve(id)
  await tell()
  receiver.answer((response) => void response.writeHead(200).end())
  clock.advance(10_000)
  await tell()
  const title = 'Shop is down: no answer'
  expect(receiver.received.map(({ body }) => body)).toEqual([title, title, `Resolved: ${title}`])
  expect(await alerts.waiting()).toEqual([])
})
