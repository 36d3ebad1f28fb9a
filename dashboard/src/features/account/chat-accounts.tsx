import type { ChatAccount } from '@vedette/shared'
import { CHANNEL_TYPES } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { onCall } from '../../messages/on-call.ts'

const text = onCall.chats

/** The accounts of chats that act as the user in this organization. */
export function ChatAccounts() {
  const { client, organizationId } = useViewer()
  const cache = useCache()
  const query = useQuery({
    queryKey: [organizationId, 'chat-accounts'],
    queryFn: ({ signal }) => client.chatAccounts.list({ limit: 100 }, { signal }),
  })
  const [isAdding, setAdding] = useState(false)
  const remove = async ({ id }: ChatAccount) => {
    await client.chatAccounts.remove(id)
    await cache.invalidate('chat-accounts')
    toast(text.removed)
  }
  return (
    <>
      <ListPanel
        title={text.title}
        lead={text.lead}
        add={
          <Button small onClick={() => setAdding(true)}>
            {text.enter}
          </Button>
        }
        query={query}
        rowsOf={({ chat_accounts }) => chat_accounts}
        row={(account) => (
          <li key={account.id} className="flex items-center gap-4 px-4 py-2.5">
            <p className="min-w-0 flex-1 truncate">
              <span className="font-medium">{account.name}</span>{' '}
              <span className="text-muted">· {CHANNEL_TYPES[account.service].label}</span>
            </p>
            <Button small onClick={() => void remove(account).catch(toastError)}>
              {text.remove}
            </Button>
          </li>
        )}
      />
      {isAdding && <CodeDialog onClose={() => setAdding(false)} />}
    </>
  )
}

function CodeDialog({ onClose }: { onClose: () => void }) {
  const { client } = useViewer()
  const cache = useCache()
  const form = useForm({ code: '' }, async ({ code }) => {
    const { name } = await client.chatAccounts.connect({ code: code.trim() })
    await cache.invalidate('chat-accounts')
    toast(text.connected(name))
    onClose()
  })
  return (
    <Dialog isOpen onClose={onClose} title={text.enter}>
      <Form form={form} action={text.connect}>
        <TextField label={text.code} mono spellCheck={false} autoComplete="off" required maxLength={64} {...form.field('code')} />
      </Form>
    </Dialog>
  )
}
