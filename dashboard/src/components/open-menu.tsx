import * as Radix from '@radix-ui/react-dropdown-menu'
import { Check } from './icons.tsx'
import type { ButtonHTMLAttributes, ReactElement, ReactNode } from 'react'

const ITEM =
  'flex min-h-9 cursor-pointer select-none items-center gap-2.5 rounded-md px-2.5 text-text outline-none data-[highlighted]:bg-hover data-[disabled]:opacity-50'

export interface MenuProps {
  /** A button. */
  trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>
  align?: 'start' | 'end'
  children: ReactNode
}

/** Open when it appears. */
export function OpenMenu({ trigger, align = 'end', children }: MenuProps) {
  return (
    <Radix.Root modal={false} defaultOpen>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-30 max-h-[80dvh] min-w-52 overflow-y-auto rounded-xl border border-line bg-raised p-1.5 shadow-lift"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export interface ItemProps {
  onSelect: () => void
  danger?: boolean
  disabled?: boolean
  children: ReactNode
}

export function MenuItem({ onSelect, danger = false, disabled = false, children }: ItemProps) {
  return (
    <Radix.Item onSelect={onSelect} disabled={disabled} className={`${ITEM} ${danger ? 'text-bad' : ''}`}>
      {children}
    </Radix.Item>
  )
}

export interface ChoiceProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChoose: (value: Value) => void
}

/** A choice of one; the current one is marked. */
export function MenuChoice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(chosen) => onChoose(chosen as Value)}>
      <Radix.Label className="px-2.5 pt-1.5 pb-1 text-[0.86rem] text-muted">{label}</Radix.Label>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={`${ITEM} justify-between`}>
          <span className="truncate">{option.label}</span>
          <Radix.ItemIndicator>
            <Check size={15} className="text-accent" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

export const MenuLine = () => <Radix.Separator className="my-1.5 h-px bg-line" />
