import { type EditOptions, useEdit } from '../lib/use-edit.ts'
import { messages } from '../messages/index.ts'
import { toast } from './toast.tsx'

interface Options<Resource extends object, Input extends object, Body extends object> extends EditOptions<Resource, Input, Body> {
  /** Leaves the page. */
  onSaved: () => Promise<unknown>
}

/** `useEdit` for a page that is left once it has saved. `editor`: the props of its editor; `revision`: the key of the editor. */
export function useEditPage<Resource extends object, Input extends object, Body extends object>({
  onSaved,
  ...options
}: Options<Resource, Input, Body>) {
  const { save, revision, input, saved, conflict } = useEdit(options)
  const onSave = async (typed: Input) => {
    if (!(await save(typed))) return
    toast(messages.done.saved)
    await onSaved()
  }
  return { revision, editor: { input, saved, conflict, action: messages.actions.save, onSave } }
}
