import type { ChannelTest } from '@vedette/shared'
import type { Tenant } from '../../auth/index.ts'
import type { Outbox } from '../../mail/index.ts'
import { notFound } from '../../platform/errors.ts'
import { encodeId, newId } from '../../platform/ids.ts'
import type { AlertDeps } from '../deps.ts'
import { type ChannelRow, clearFault, findChannel } from '../channels/store.ts'
import { deliver, type DeliveryDeps } from './deliver.ts'
import { DeliveryError, type OutAnswer } from './delivery.ts'
import type { Message } from './message.ts'
import { noteFailure } from './note-fault.ts'
import { cut, oneLine, wordsOfTest } from './words.ts'

export interface TestDeps extends AlertDeps, Omit<DeliveryDeps, 'nowMs'> {
  outbox: Outbox
  publicUrl(): string
}

const MAX_ANSWER = 1_000

/** Sends a test by a channel, once. That it is not taken is an answer. Throws not_found across organizations. */
export async function testChannel(deps: TestDeps, { number }: Tenant, id: string): Promise<ChannelTest> {
  const { db, clock, outbox } = deps
  const channel = await findChannel(db, number, id)
  if (!channel) throw notFound()
  try {
    const { answer, mails } = await deliver({ ...deps, nowMs: () => clock.now() }, channel, testMessage(deps, channel))
    const about = { organization: number, kind: 'channel', id } as const
    for (const mail of mails) await outbox.put(db, about, mail, new Date(clock.now()))
    await clearFault(db, number, id)
    return { delivered: true, ...saidBy(answer), error: null }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    await noteFailure(deps, number, channel, error, clock.now())
    return { delivered: false, ...saidBy(error.answer), error: { code: error.code, message: error.message } }
  }
}

const testMessage = ({ clock, publicUrl }: TestDeps, { id, name }: ChannelRow): Message => ({
  id: encodeId('telling', newId()),
  type: 'channel.test',
  atMs: clock.now(),
  data: { channel: { id: encodeId('channel', id), name } },
  words: wordsOfTest(name),
  link: publicUrl(),
})

function saidBy(answer: OutAnswer | undefined): { status_code: number | null; answer: string | null } {
  if (!answer) return { status_code: null, answer: null }
  const said = oneLine(answer.text)
  return { status_code: answer.status, answer: said === '' ? null : cut(said, MAX_ANSWER) }
}
