import { locale } from '../messages/language.ts'
interface Props<Value extends string> {
  label: string
  /** With a count that is not known yet, the choice is as wide as with one of two digits: what follows does not move. */
  options: readonly { value: Value; label: string; count?: number | undefined }[]
  /** Undefined: none is chosen. */
  value: Value | undefined
  onChoose: (value: Value) => void
}

/** A choice of one from a few buttons in a row. */
export function Segmented<Value extends string>({ label, options, value, onChoose }: Props<Value>) {
  return (
    <fieldset
      aria-label={label}
      className="flex w-fit min-w-0 max-w-full overflow-x-auto rounded-lg max-sm:flex-wrap border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChoose(option.value)}
          className={`min-h-7.5 whitespace-nowrap rounded-md px-2.5 text-[0.93rem] transition-colors ${
            option.value === value ? 'bg-raised font-semibold text-text shadow-sm ring-1 ring-line' : 'text-soft hover:text-text'
          }`}
        >
          {option.label}{' '}
          {'count' in option && (
            <span className="ml-1 inline-block min-w-[2ch] font-normal text-muted">{option.count?.toLocaleString(locale)}</span>
          )}
        </button>
      ))}
    </fieldset>
  )
}
