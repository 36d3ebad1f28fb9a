import type { ContactMethod, CreateContactMethodBody } from '@vedette/shared'
import { CHANNEL_TEXTS, CHANNEL_TYPES, CONTACT_METHOD_TYPES } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { toast, toastError, toastProblem } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { channelFields, isTemplate } from '../../lib/channel-fields.ts'
import { fieldErrors } from '../../lib/errors.ts'
import { useForm } from '../../lib/use-form.ts'
import { onCall } from '../../messages/on-call.ts'

const text = onCall.contacts

/** How escalation policies reach the user in this organization: each can be tested and removed. */
export function ContactMethods() {
  const { client, organizationId } = useViewer()
  const [isAdding, setAdding] = useState(false)
  const query = useQuery({
    queryKey: [organizationId, 'contact-methods'],
    queryFn: ({ signal }) => client.contactMethods.list({ limit: 100 }, { signal }),
  })
  return (
    <>
      <ListPanel
        title={text.title}
        lead={text.lead}
        add={
          <Button small onClick={() => setAdding(true)}>
            {text.add}
          </Button>
        }
        query={query}
        rowsOf={({ contact_methods }) => contact_methods}
        row={(method) => <MethodRow key={method.id} method={method} />}
      />
      {isAdding && <Editor onClose={() => setAdding(false)} />}
    </>
  )
}

/** Where it leads, as far as that is no secret. */
const targetOf = ({ to, chat_id, topic, url }: ContactMethod['config']): string =>
  [to, chat_id, topic, url].filter((part) => part !== undefined).join(' · ')

function MethodRow({ method }: { method: ContactMethod }) {
  const { client } = useViewer()
  const cache = useCache()
  const [isBusy, setBusy] = useState(false)
  const run = (act: () => Promise<unknown>) => {
    setBusy(true)
    act()
      .catch(toastError)
      .finally(() => {
        setBusy(false)
        void cache.invalidate('contact-methods')
      })
  }
  const test = async () => {
    const { delivered, error } = await client.contactMethods.test(method.id)
    if (delivered) toast(text.sent)
    else toastProblem(error?.message ?? '')
  }
  const remove = async () => {
    await client.contactMethods.remove(method.id)
    toast(text.removed)
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-44">
        <p className="cut font-medium">{CHANNEL_TYPES[method.type].label}</p>
        <p className="cut text-[0.9rem] text-muted">{targetOf(method.config)}</p>
        {method.last_error && <p className="text-[0.9rem] text-bad">{method.last_error.message}</p>}
      </div>
      <span className="flex gap-2">
        <Button small disabled={isBusy} onClick={() => run(test)}>
          {text.test}
        </Button>
        <Button small disabled={isBusy} onClick={() => run(remove)}>
          {text.remove}
        </Button>
      </span>
    </li>
  )
}

interface Input {
  type: ContactMethod['type']
  config: Readonly<Record<string, string>>
}

/** The e-mail is that of the account: it has no fields. */
const fieldsOf = ({ type }: Input) => (type === 'email' ? [] : channelFields(type).filter(({ name }) => !isTemplate(name)))

function toBody(input: Input): CreateContactMethodBody {
  const filled = fieldsOf(input).flatMap(({ name }) => {
    const value = input.config[name]?.trim() ?? ''
    return value === '' ? [] : [[name, value] as const]
  })
  return { type: input.type, ...(input.type !== 'email' && { config: Object.fromEntries(filled) }) }
}

function Editor({ onClose }: { onClose: () => void }) {
  const { client } = useViewer()
  const cache = useCache()
  const save = async (input: Input) => {
    await client.contactMethods.create(toBody(input))
    await cache.invalidate('contact-methods')
    toast(text.added)
    onClose()
  }
  const form = useForm<Input>({ type: 'email', config: {} }, save, { schema: ['CreateContactMethodBody', toBody] })
  const { input, change, field } = form
  const errors = fieldErrors(form.error)
  return (
    <Dialog isOpen onClose={onClose} title={text.add}>
      <Form form={form} action={text.save}>
        <SelectField label={text.type} hint={input.type === 'email' ? text.emailHint : undefined} {...field('type')}>
          {CONTACT_METHOD_TYPES.map((type) => (
            <option key={type} value={type}>
              {CHANNEL_TYPES[type].label}
            </option>
          ))}
        </SelectField>
        {fieldsOf(input).map(({ name, isRequired }) => (
          <TextField
            key={`${input.type} ${name}`}
            label={CHANNEL_TEXTS[name].label}
            hint={isRequired ? undefined : text.optional}
            error={errors[`config.${name}`]}
            mono
            spellCheck={false}
            autoComplete="off"
            required={isRequired}
            value={input.config[name] ?? ''}
            onChange={({ target }) => change({ config: { ...input.config, [name]: target.value } })}
          />
        ))}
      </Form>
    </Dialog>
  )
}
