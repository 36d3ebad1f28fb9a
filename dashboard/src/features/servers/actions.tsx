import type { ServerDetails } from '@vedette/shared'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { EllipsisVertical, KeyRound, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx'
import { toast } from '../../components/toast.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { text } from '../../messages/index.ts'
import { EditServer } from './edit.tsx'
import { NewToken } from './new-token.tsx'

const words = text.servers

/** What may be done to a server by who may. */
export function ServerActions({ server }: { server: ServerDetails }) {
  const { can, client } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'token' | 'delete'>()
  const name = server.display_name ?? server.hostname
  const close = () => setOpen(undefined)
  const remove = async () => {
    await client.servers.remove(server.id)
    await navigate({ to: '/servers' })
    toast(words.delete.done(name))
    queries.removeQueries({ queryKey: [scope, 'servers', server.id] })
    await queries.invalidateQueries({ queryKey: [scope, 'servers'] })
  }
  if (!can('servers:admin') && !can('servers:delete')) return null
  return (
    <>
      <Menu
        trigger={
          <IconButton label={text.actions.edit} className="border border-line">
            <EllipsisVertical size={17} />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setOpen('edit')} disabled={!can('servers:admin')}>
          <Pencil size={15} aria-hidden="true" />
          {words.edit.action}
        </MenuItem>
        <MenuItem onSelect={() => setOpen('token')} disabled={!can('servers:admin')}>
          <KeyRound size={15} aria-hidden="true" />
          {words.token.action}
        </MenuItem>
        <MenuLine />
        <MenuItem onSelect={() => setOpen('delete')} danger disabled={!can('servers:delete')}>
          <Trash2 size={15} aria-hidden="true" />
          {words.delete.action}
        </MenuItem>
      </Menu>
      {open === 'edit' && <EditServer server={server} onClose={close} />}
      {open === 'token' && <NewToken serverId={server.id} onClose={close} />}
      <Confirm
        isOpen={open === 'delete'}
        onClose={close}
        title={words.delete.title(name)}
        description={words.delete.lead}
        action={words.delete.action}
        name={name}
        onConfirm={remove}
      />
    </>
  )
}
