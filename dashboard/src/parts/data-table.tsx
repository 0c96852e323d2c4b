import { Paper, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export type Column<Row> = {
  label: string;
  render: (row: Row) => ReactNode;
  align?: 'right';
  /** The cell that names its row, usually a link. */
  isHeader?: true;
  /** Its values are short, and stay on one line on a wide screen. */
  isOneLine?: true;
};

type DataTableProps<Row> = {
  /** What the rows are, for screen readers. */
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
};

/** A list. On a narrow screen each row becomes a card, with the label of each column beside its value. */
export function DataTable<Row>({ caption, columns, rows, keyOf }: DataTableProps<Row>) {
  return (
    <Paper withBorder className={classes['frame']}>
      <Table className={classes['table']} verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
        <Table.Caption className={classes['caption']}>{caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ label, align }) => (
              <Table.Th key={label} scope="col" ta={align}>
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ label, render, align, isHeader, isOneLine }) =>
                isHeader ? (
                  <Table.Th key={label} scope="row" data-label={label} ta={align}>
                    {render(row)}
                  </Table.Th>
                ) : (
                  <Table.Td key={label} data-label={label} data-one-line={isOneLine} ta={align}>
                    <div className={classes['cell']}>{render(row)}</div>
                  </Table.Td>
                ),
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
