import { MAX_SAVED_VIEWS, MAX_VIEW_NAME_LENGTH } from '@vedette/shared/tables'
import type { SavedView } from '@vedette/shared'
import { useLocation, useRouter } from '@tanstack/react-router'
import { Bookmark, Trash2 } from './icons.tsx'
import { useState } from 'react'
import { useCache, useViewer } from '../lib/api.ts'
import { useForm } from '../lib/use-form.ts'
import { messages } from '../messages/index.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Form } from './form.tsx'
import { Menu, MenuItem, MenuLine } from './menu.tsx'
import { toastError } from './toast.tsx'

const text = messages.views

/** Filters, order and groups of a list under a name, for this person in this organization. */
export function SavedViews({ list }: { list: SavedView['list'] }) {
  const { client, organization } = useViewer()
  const cache = useCache()
  const router = useRouter()
  const query = new URLSearchParams(useLocation().searchStr)
  query.delete('page')
  query.delete('open')
  const [isSaving, setSaving] = useState(false)
  const views = organization?.saved_views ?? []
  const own = views.filter((view) => view.list === list)
  const save = async (name: string, added: readonly SavedView[]) => {
    // Another browser may have saved views since this page was loaded.
    const { organizations } = await client.me.read()
    const stored = organizations.find(({ id }) => id === organization?.id)
    if (!stored) return
    const others = stored.saved_views.filter((view) => view.list !== list || view.name !== name)
    await client.me.updateMembership(stored.id, { saved_views: [...others, ...added] })
    await cache.invalidateViewer()
  }
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button small>
            <Bookmark size={14} aria-hidden="true" />
            {text.label}
          </Button>
        }
      >
        {own.map((view) => (
          <MenuItem key={view.name} onSelect={() => router.history.push(`/${list}?${view.query}`)}>
            {view.name}
          </MenuItem>
        ))}
        {own.length > 0 && <MenuLine />}
        <MenuItem onSelect={() => setSaving(true)} disabled={query.size === 0 || views.length >= MAX_SAVED_VIEWS}>
          {text.save}
        </MenuItem>
        {own.map(({ name }) => (
          <MenuItem key={name} danger onSelect={() => void save(name, []).catch(toastError)}>
            <Trash2 size={15} aria-hidden="true" />
            {text.remove(name)}
          </MenuItem>
        ))}
      </Menu>
      {isSaving && (
        <SaveView onClose={() => setSaving(false)} onSave={(name) => save(name, [{ list, name, query: query.toString() }])} />
      )}
    </>
  )
}

function SaveView({ onSave, onClose }: { onSave: (name: string) => Promise<void>; onClose: () => void }) {
  const form = useForm({ name: '' }, async ({ name }) => {
    await onSave(name.trim())
    onClose()
  })
  return (
    <Dialog isOpen onClose={onClose} title={text.save} description={text.lead}>
      <Form form={form} action={messages.actions.save} isDisabled={form.input.name.trim() === ''} onCancel={onClose}>
        <TextField label={text.name} maxLength={MAX_VIEW_NAME_LENGTH} {...form.field('name', 'saved_views')} />
      </Form>
    </Dialog>
  )
}
