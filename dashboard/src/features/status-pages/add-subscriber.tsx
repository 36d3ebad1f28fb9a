import type { CreateSubscriberBody } from '@vedette/shared'
import { CHANNEL_TEXTS } from '@vedette/shared/tables'
import { useState } from 'react'
import { CodeLines } from '../../components/copy.tsx'
import { Dialog, SecretDialog } from '../../components/dialog.tsx'
import { CheckList, SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { channels } from '../../messages/channels.ts'
import { messages } from '../../messages/index.ts'
import { statusPages } from '../../messages/status-pages.ts'
import type { Component } from './queries.ts'

const text = statusPages.subscribers
const TYPES = ['webhook', 'slack', 'teams'] as const satisfies readonly CreateSubscriberBody['type'][]

interface SubscriberInput {
  type: CreateSubscriberBody['type']
  url: string
  monitors: readonly string[]
}

const toBody = ({ type, url, monitors }: SubscriberInput): CreateSubscriberBody => ({
  type,
  url: url.trim(),
  monitors: [...monitors],
})

interface Props {
  pageId: string
  components: readonly Component[]
  onClose: () => void
}

/** Adds a service, and shows the secret of a webhook once. */
export function AddSubscriber({ pageId, components, onClose }: Props) {
  const { client } = useViewer()
  const cache = useCache()
  const [secret, setSecret] = useState<string>()
  const create = async (input: SubscriberInput, idempotencyKey: string) => {
    try {
      const created = await client.statusSubscribers.create(pageId, toBody(input), { idempotencyKey })
      if (created.secret !== null) return setSecret(created.secret)
      toast(messages.done.created(text.kinds[input.type]))
      onClose()
    } finally {
      // Also after an error: one whose secret was lost on the way has to be seen and deleted.
      await cache.invalidate('status-pages', pageId, 'subscribers')
    }
  }
  const initial: SubscriberInput = { type: 'webhook', url: '', monitors: [] }
  const form = useForm(initial, create, { schema: ['CreateSubscriberBody', toBody] })
  if (secret !== undefined)
    return (
      <SecretDialog onClose={onClose} title={channels.secretTitle} description={channels.secretLead}>
        <CodeLines label={channels.secret} lines={[secret]} />
      </SecretDialog>
    )
  const { input, change, field } = form
  return (
    <Dialog isOpen onClose={onClose} title={text.add} description={text.addLead}>
      <Form form={form} action={text.add} onCancel={onClose}>
        <SelectField label={text.kind} hint={channels.hints[input.type]} {...field('type')}>
          {TYPES.map((type) => (
            <option key={type} value={type}>
              {text.kinds[type]}
            </option>
          ))}
        </SelectField>
        <TextField
          label={text.address}
          type="url"
          maxLength={CHANNEL_TEXTS.url.maxLength}
          placeholder="https://"
          autoComplete="off"
          spellCheck={false}
          {...field('url')}
        />
        {components.length > 0 && (
          <div>
            <CheckList
              label={text.components}
              options={components.map(({ id, name }) => ({ value: id, label: name }))}
              chosen={input.monitors}
              error={field('monitors').error}
              onChange={(monitors) => change({ monitors })}
            />
            <p className="mt-1 text-[0.9rem] text-muted">{text.componentsHint}</p>
          </div>
        )}
      </Form>
    </Dialog>
  )
}
