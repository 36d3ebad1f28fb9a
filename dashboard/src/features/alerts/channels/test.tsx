import type { Channel, ChannelTest } from '@vedette/shared'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Fact } from '../../../components/page.tsx'
import { toast } from '../../../components/toast.tsx'
import { useViewer } from '../../../lib/api.ts'
import { sentenceOf } from '../../../lib/errors.ts'
import { text } from '../../../messages/index.ts'

const words = text.alerts.channels

/** Sends a test by the channel as it is kept, and shows what became of it. */
export function TestButton({ id, name, type }: Pick<Channel, 'id' | 'name' | 'type'>) {
  const { client } = useViewer()
  const [isBusy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<ChannelTest>()
  const test = () => {
    setBusy(true)
    client.channels
      .test(id)
      .then(setOutcome, (error: unknown) => toast(sentenceOf(error), 'bad'))
      .finally(() => setBusy(false))
  }
  return (
    <>
      <Button small aria-label={`${words.test}: ${name}`} onClick={test} disabled={isBusy}>
        <Send size={14} aria-hidden="true" />
        {isBusy ? words.testing : words.test}
      </Button>
      <Dialog isOpen={outcome !== undefined} onClose={() => setOutcome(undefined)} title={words.testTitle(name)}>
        {outcome && <Outcome outcome={outcome} isMail={type === 'email'} />}
        <div className="mt-4 flex justify-end">
          <Button onClick={() => setOutcome(undefined)}>{text.actions.close}</Button>
        </div>
      </Dialog>
    </>
  )
}

function Outcome({ outcome: { delivered, status_code, answer, error }, isMail }: { outcome: ChannelTest; isMail: boolean }) {
  const taken = isMail ? words.testMail : words.testTaken
  return (
    <div className="grid gap-3">
      <p className={`rounded-lg px-3 py-2 ${delivered ? 'bg-good-ground text-good' : 'bg-bad-ground text-bad'}`}>
        {delivered ? taken : `${words.testRefused} ${error?.message ?? ''}`}
      </p>
      <dl>
        {status_code !== null && <Fact name={words.testCode}>{status_code}</Fact>}
        {answer !== null && <Fact name={words.testAnswer}>{answer}</Fact>}
      </dl>
    </div>
  )
}
