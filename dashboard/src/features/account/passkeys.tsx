import type { PasskeyItem } from '@vedette/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Panel } from '../../components/page.tsx'
import { Ago, Instant } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useViewer } from '../../lib/api.ts'
import { canUsePasskeys } from '../../lib/can-use-passkeys.ts'
import { fieldErrors } from '../../lib/errors.ts'
import { makePasskey } from '../../lib/passkeys.ts'
import { day } from '../../lib/time.ts'
import { useForm } from '../../lib/use-form.ts'
import { passkeys as text } from '../../messages/passkeys.ts'
import { programOf } from './program.ts'

/** The passkeys of the user: each has a name and can be removed. */
export function Passkeys() {
  const { client } = useViewer()
  const [isAdding, setAdding] = useState(false)
  const [renamed, setRenamed] = useState<PasskeyItem>()
  const [removed, setRemoved] = useState<PasskeyItem>()
  const isPossible = canUsePasskeys()
  const query = useQuery({ queryKey: ['passkeys'], queryFn: ({ signal }) => client.passkeys.list({ limit: 100 }, { signal }) })
  return (
    <>
      <ListPanel
        title={text.title}
        lead={isPossible ? text.lead : text.unavailable}
        add={
          isPossible && (
            <Button small onClick={() => setAdding(true)}>
              {text.add}
            </Button>
          )
        }
        query={query}
        rowsOf={({ passkeys }) => passkeys}
        row={(passkey) => (
          <PasskeyRow
            key={passkey.id}
            passkey={passkey}
            onRename={() => setRenamed(passkey)}
            onRemove={() => setRemoved(passkey)}
          />
        )}
      />
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      {renamed && <RenameDialog passkey={renamed} onClose={() => setRenamed(undefined)} />}
      {removed && <RemoveDialog passkey={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}

/** For who has to have one: without the list, whose pages are in the address. */
export function FirstPasskey() {
  const [isAdding, setAdding] = useState(false)
  const isPossible = canUsePasskeys()
  return (
    <Panel title={text.title}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 text-soft">{isPossible ? text.lead : text.unavailable}</p>
        {isPossible && <Button onClick={() => setAdding(true)}>{text.add}</Button>}
      </div>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </Panel>
  )
}

interface RowProps {
  passkey: PasskeyItem
  onRename: () => void
  onRemove: () => void
}

function PasskeyRow({ passkey: { name, synced, created_at, last_used_at }, onRename, onRemove }: RowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-44">
        <p className="cut font-medium">{name}</p>
        <p className="text-[0.9rem] text-muted">
          {text.created} <Instant at={created_at} format={day} />
          {' · '}
          {last_used_at === null ? (
            text.neverUsed
          ) : (
            <>
              {text.lastUsed} <Ago at={last_used_at} />
            </>
          )}
          {synced && ` · ${text.synced}`}
        </p>
      </div>
      <Button small onClick={onRename}>
        {text.rename}
      </Button>
      <Button small onClick={onRemove}>
        {text.remove}
      </Button>
    </li>
  )
}

/** Closes the dialog once the lists show the change. */
function useDone(onClose: () => void) {
  const queries = useQueryClient()
  return async (message: string) => {
    toast(message)
    await Promise.all(['passkeys', 'me'].map((name) => queries.invalidateQueries({ queryKey: [name] })))
    onClose()
  }
}

/** A session that is not young needs the password: the field is there from the refusal on. */
function usePasswordField<Input extends { password: string }>(form: ReturnType<typeof useForm<Input>>) {
  const [isShown, setShown] = useState(false)
  if (!isShown && fieldErrors(form.error)['password'] !== undefined) setShown(true)
  return (
    isShown && (
      <TextField
        label={text.password}
        type="password"
        autoComplete="current-password"
        autoFocus
        required
        maxLength={1024}
        value={form.input.password}
        error={form.field('password').error}
        onChange={({ target }) => form.change({ password: target.value } as Partial<Input>)}
      />
    )
  )
}

const proof = ({ password }: { password: string }) => (password === '' ? {} : { password })

function AddDialog({ onClose }: { onClose: () => void }) {
  const { client } = useViewer()
  const done = useDone(onClose)
  const form = useForm({ name: programOf(navigator.userAgent), password: '' }, async (input) => {
    const credential = await makePasskey(await client.passkeys.startCreate(proof(input)))
    if (!credential) return
    await client.passkeys.create({ name: input.name.trim(), credential })
    await done(text.added)
  })
  return (
    <Dialog isOpen onClose={onClose} title={text.add}>
      <Form form={form} action={text.create}>
        <TextField label={text.name} hint={text.nameHint} required maxLength={200} {...form.field('name')} />
        {usePasswordField(form)}
      </Form>
    </Dialog>
  )
}

interface PasskeyProps {
  passkey: PasskeyItem
  onClose: () => void
}

function RenameDialog({ passkey: { id, name }, onClose }: PasskeyProps) {
  const { client } = useViewer()
  const done = useDone(onClose)
  const form = useForm({ name }, async (input) => {
    await client.passkeys.rename(id, { name: input.name.trim() })
    await done(text.renamed)
  })
  return (
    <Dialog isOpen onClose={onClose} title={text.rename}>
      <Form form={form} action={text.save}>
        <TextField label={text.name} required maxLength={200} {...form.field('name')} />
      </Form>
    </Dialog>
  )
}

function RemoveDialog({ passkey: { id, name }, onClose }: PasskeyProps) {
  const { client } = useViewer()
  const done = useDone(onClose)
  const form = useForm({ password: '' }, async (input) => {
    await client.passkeys.remove(id, proof(input))
    await done(text.removed)
  })
  return (
    <Dialog isOpen onClose={onClose} title={text.removeTitle(name)}>
      <Form form={form} action={text.remove} variant="danger">
        <p>{text.removeLead}</p>
        {usePasswordField(form)}
      </Form>
    </Dialog>
  )
}
