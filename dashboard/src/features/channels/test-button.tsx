import type { Channel, ChannelTest } from '@vedette/shared'
import { Send } from '../../components/icons.tsx'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Fact } from '../../components/page.tsx'
import { toastError } from '../../components/toast.tsx'
import { ownerOf, useCache, useViewer } from '../../lib/api.ts'
import { changePreferences, preferences } from '../../lib/preferences.ts'
import { channels as text } from '../../messages/channels.ts'
import { messages } from '../../messages/index.ts'
import { type ChannelInput, toCreateBody } from './input.ts'

/** Sends a test notification over the saved channel and shows the result. */
export function TestButton({ id, name, type }: Pick<Channel, 'id' | 'name' | 'type'>) {
  const { client } = useViewer()
  const cache = useCache()
  const test = async () => {
    const outcome = await client.channels.test(id)
    // Its last test and its last error.
    void cache.invalidate('channels', 'list')
    return outcome
  }
  return <TestWith name={name} type={type} onTest={test} onError={toastError} />
}

/** The same for a channel that is not saved yet. */
export function TestNewButton({ input, onError }: { input: ChannelInput; onError: (error: unknown) => void }) {
  const viewer = useViewer()
  const body = { ...toCreateBody(input), name: input.name.trim() === '' ? text.test : input.name.trim() }
  const test = async () => {
    const outcome = await viewer.client.channels.testNew(body)
    // The first steps need no second test once it is saved.
    if (outcome.delivered) changePreferences({ testedChannel: [...new Set([...preferences().testedChannel, ownerOf(viewer)])] })
    return outcome
  }
  return <TestWith name={body.name} type={input.type} onTest={test} onError={onError} />
}

interface Props extends Pick<Channel, 'name' | 'type'> {
  onTest: () => Promise<ChannelTest>
  onError: (error: unknown) => void
}

function TestWith({ name, type, onTest, onError }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<ChannelTest>()
  const test = () => {
    setBusy(true)
    onTest()
      .then(setOutcome, onError)
      .finally(() => setBusy(false))
  }
  return (
    <>
      <Button small aria-label={`${text.test}: ${name}`} onClick={test} disabled={isBusy}>
        <Send size={14} aria-hidden="true" />
        {isBusy ? text.testing : text.test}
      </Button>
      <Dialog isOpen={outcome !== undefined} onClose={() => setOutcome(undefined)} title={text.testTitle(name)}>
        {outcome && <TestResult outcome={outcome} isMail={type === 'email'} />}
        <div className="mt-4 flex justify-end">
          <Button onClick={() => setOutcome(undefined)}>{messages.actions.close}</Button>
        </div>
      </Dialog>
    </>
  )
}

function TestResult({ outcome: { delivered, status_code, answer, error }, isMail }: { outcome: ChannelTest; isMail: boolean }) {
  const deliveredText = isMail ? text.testQueued : text.testDelivered
  return (
    <div className="grid gap-3">
      <p className={`rounded-lg px-3 py-2 ${delivered ? 'bg-good-ground text-good' : 'bg-bad-ground text-bad'}`}>
        {delivered ? deliveredText : `${text.testFailed} ${error?.message ?? ''}`}
      </p>
      <dl>
        {status_code !== null && <Fact name={text.testStatus}>{status_code}</Fact>}
        {answer !== null && <Fact name={text.testAnswer}>{answer}</Fact>}
      </dl>
    </div>
  )
}
