import { Dialog } from '../components/dialog.tsx'
import { messages } from '../messages/index.ts'
import { keyboard as text } from '../messages/keyboard.ts'
import { useNavigation } from './navigation.ts'

/** The keyboard shortcuts in words. */
export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const entries = useNavigation()
  const help = [
    { keys: ['Ctrl', 'K'], description: messages.palette.label },
    { keys: ['/'], description: text.search },
    { keys: ['j', 'k'], description: text.rows },
    ...entries.map(({ label, shortcut }) => ({ keys: ['g', shortcut], description: text.goTo(label) })),
    { keys: ['?'], description: text.help },
  ]
  return (
    <Dialog title={text.title} isOpen onClose={onClose}>
      <dl className="grid gap-2">
        {help.map(({ keys, description }) => (
          <div key={description} className="flex items-center justify-between gap-4">
            <dt className="text-soft">{description}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="min-w-7 rounded-md border border-line bg-sunken px-2 py-0.5 text-center font-sans">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
