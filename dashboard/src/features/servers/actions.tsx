import type { ServerDetails } from '@vedette/shared'
import { useNavigate } from '@tanstack/react-router'
import { EllipsisVertical, KeyRound, Pencil, Trash2 } from '../../components/icons.tsx'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { serverName } from '../../lib/server-name.ts'
import { messages } from '../../messages/index.ts'
import { EditServer } from './edit.tsx'
import { RegenerateToken } from './regenerate-token.tsx'

const text = messages.servers

export function ServerActions({ server }: { server: ServerDetails }) {
  const { can, client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'token' | 'delete'>()
  const name = serverName(server)
  const close = () => setOpen(undefined)
  const remove = async () => {
    await client.servers.remove(server.id)
    await navigate({ to: '/servers' })
    toast(messages.done.deleted(name))
    cache.remove('servers', server.id)
    await cache.invalidate('servers')
  }
  if (!can('servers:admin') && !can('servers:delete')) return null
  return (
    <>
      <Menu
        trigger={
          <IconButton label={messages.actions.edit} className="border border-line">
            <EllipsisVertical size={17} />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setOpen('edit')} disabled={!can('servers:admin')}>
          <Pencil size={15} aria-hidden="true" />
          {text.edit.title}
        </MenuItem>
        <MenuItem onSelect={() => setOpen('token')} disabled={!can('servers:admin')}>
          <KeyRound size={15} aria-hidden="true" />
          {text.token.regenerate}
        </MenuItem>
        <MenuLine />
        <MenuItem onSelect={() => setOpen('delete')} danger disabled={!can('servers:delete')}>
          <Trash2 size={15} aria-hidden="true" />
          {messages.actions.delete}
        </MenuItem>
      </Menu>
      {open === 'edit' && <EditServer server={server} onClose={close} />}
      <RegenerateToken serverId={server.id} isOpen={open === 'token'} onClose={close} />
      <Confirm
        isOpen={open === 'delete'}
        onClose={close}
        title={messages.titles.delete(name)}
        description={text.deleteLead}
        action={messages.actions.delete}
        name={name}
        onConfirm={remove}
      />
    </>
  )
}
