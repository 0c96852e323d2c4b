import { orNull, text, whole } from './option-kinds.ts';

/** Options of uploaded files: their directory, their largest sizes, and the longest time for the import of one file. */
export const FILE_OPTIONS = {
  PHIAL_UPLOAD_DIR: {
    default: '',
    read: orNull(text),
    meaning:
      'Directory of uploaded files until they are imported. All processes must see it; empty: uploads in the ' +
      'data directory.',
  },
  PHIAL_UPLOAD_LIMIT_BYTES: {
    default: '5368709120',
    read: whole(1024, 68_719_476_736),
    meaning: 'Largest uploaded file in bytes (1024 to 68719476736).',
  },
  PHIAL_UPLOAD_QUOTA_BYTES: {
    default: '10737418240',
    read: whole(1024, 1_099_511_627_776),
    meaning: "Bytes that a team's files may take until they are imported (1024 to 1099511627776).",
  },
  PHIAL_LAB_REPORT_QUOTA_BYTES: {
    default: '10737418240',
    read: whole(1024, 1_099_511_627_776),
    meaning: "Bytes that the lab reports of a team's users may take in the database (1024 to 1099511627776).",
  },
  PHIAL_UPLOAD_QUOTA_BYTES_PER_ORG: {
    default: '53687091200',
    read: whole(1024, 1_099_511_627_776),
    meaning:
      'Bytes that the files of all teams of an organisation may take until they are imported (1024 to 1099511627776).',
  },
  PHIAL_LAB_REPORT_QUOTA_BYTES_PER_ORG: {
    default: '53687091200',
    read: whole(1024, 1_099_511_627_776),
    meaning:
      'Bytes that the lab reports of all teams of an organisation may take in the database (1024 to 1099511627776).',
  },
  PHIAL_STORAGE_RESERVE_BYTES: {
    default: '268435456',
    read: whole(0, 1_099_511_627_776),
    meaning:
      'Bytes to keep free on the disk of uploads and for the database (0 to 1099511627776). Files are ' +
      'refused while less is free.',
  },
  PHIAL_DATABASE_LIMIT_BYTES: {
    default: '',
    read: orNull(whole(1024, 1_125_899_906_842_624)),
    meaning:
      'Bytes that a database on your own server may grow to. Its free space is computed from this; empty: it ' +
      'is not known.',
  },
  PHIAL_IMPORT_EXPANDED_LIMIT_BYTES: {
    default: '8589934592',
    read: whole(1024, 1_099_511_627_776),
    meaning: 'Largest size of a compressed file after it is unpacked, in bytes (1024 to 1099511627776).',
  },
  PHIAL_IMPORT_CPU_SECONDS: {
    default: '600',
    read: whole(1, 86_400),
    meaning: 'Seconds of processor time that parsing a file may take (1 to 86400).',
  },
  PHIAL_IMPORT_TIMEOUT_SECONDS: {
    default: '3600',
    read: whole(1, 604_800),
    meaning:
      'Seconds that the import of a file may take, without the time in which it waits in the queue (1 to 604800).',
  },
} as const;
