export * from './model';
export * from './model-stack';
export * from './model-tables';
export * from './versioned-table';
